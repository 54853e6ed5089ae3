import { type InvalidValue, ServiceError } from '../errors.ts'

/** A 400 with all invalid values; its sentence is the first. */
export function invalidValues(values: readonly InvalidValue[]): ServiceError {
  return new ServiceError('invalid_request', values[0]?.detail ?? '', {
    invalid: values.slice(0, MOST_INVALID),
  })
}

/** Further ones are not reported. */
export const MOST_INVALID = 20

export const invalidParameter = (name: string, detail: string): ServiceError =>
  invalidValues([{ pointer: `?${name}`, detail }])
