export function isAddressBlock(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = familyOf(address)
  if (family === undefined || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}

function familyOf(address: string): 4 | 6 | undefined {
  if (/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(address)) return 4
  return address.includes(':') && URL.canParse(`http://[${address}]`) ? 6 : undefined
}
