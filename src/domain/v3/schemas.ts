import Type, { type Static } from 'typebox'

const closed = { additionalProperties: false }

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Always `about:blank`: `code` identifies the problem' }),
    title: Type.String({ description: 'The name of the status' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'A message for people' }),
    code: Type.String({ description: 'Stable, for programs' }),
    request_id: Type.String({ description: 'Identifies the request in the log of the service' }),
    errors: Type.Array(
      Type.Object(
        {
          pointer: Type.String({
            description:
              'A JSON Pointer into the body, such as `#/keys/3`, or `?` and the name of a parameter',
          }),
          detail: Type.String(),
        },
        closed,
      ),
      { description: 'The invalid values; empty for other problems' },
    ),
  },
  { description: 'The body of every error of v3 (RFC 9457); some codes add members' },
)

export type WireProblem = Static<typeof Problem>
