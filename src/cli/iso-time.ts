export const isoTime = (time: number | undefined) =>
  time === undefined ? null : new Date(time).toISOString()
