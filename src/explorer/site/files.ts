import { createPage, type RenderedPage } from '../../api/rendered-page.ts'

/** A page or file with its Content-Security-Policy. */
export const file = (type: string, body: string, policy: string, status = 200): RenderedPage =>
  createPage(
    body,
    {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': policy,
    },
    status,
  )

/** For a page that lacks something for the moment: it is not cached, neither here nor by clients. */
export const withoutCaching = (page: RenderedPage): RenderedPage => ({
  ...page,
  headers: { ...page.headers, 'Cache-Control': 'no-store' },
})

const writePolicy = (...directives: string[]) =>
  ["default-src 'none'", ...directives, "base-uri 'none'", "frame-ancestors 'none'"].join('; ')

const OWN_STYLE = ["style-src 'self'", "font-src 'self'"]
const OWN_FILES = ["script-src 'self'", ...OWN_STYLE, "connect-src 'self'"]
const OWN_IMAGES = "img-src 'self' data:"
const NO_FORM = "form-action 'none'"

/** Pages may load files and images of this service and call its API, nothing else. */
export const POLICY = {
  explorer: writePolicy(...OWN_FILES, OWN_IMAGES, "form-action 'self'"),
  reference: writePolicy(...OWN_FILES, OWN_IMAGES, NO_FORM),
  deprecation: writePolicy(...OWN_STYLE, OWN_IMAGES, NO_FORM),
  file: writePolicy('img-src data:', NO_FORM),
}

export type PictureType = 'svg' | 'png' | 'json'

const CONTENT_TYPES: Record<PictureType, string> = {
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
  json: 'application/json',
}

/** Image proxies keep a picture for this long, even if its passport is removed. */
const PUBLIC = 'public, max-age=60, s-maxage=300'

/** A picture that other sites may embed. */
export const picture = (
  type: PictureType,
  body: string | Uint8Array<ArrayBuffer>,
  status = 200,
): RenderedPage =>
  createPage(
    body,
    {
      'Content-Type': CONTENT_TYPES[type],
      'Cache-Control': status === 200 ? PUBLIC : 'no-store',
      'Content-Security-Policy': POLICY.file,
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
    status,
  )
