import { expect, test } from 'bun:test'
import { isAddressBlock } from '../../../../src/core/config/setting-parsers.ts'
import { createClientAddressOf } from '../../../../src/core/http/client-identity.ts'

function addressOf(socket: string, forwarded?: string, trusted: string[] = ['10.0.0.0/8', 'fd00::/8']) {
  const headers = new Headers(forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded })
  return createClientAddressOf(trusted)(socket, headers)
}

test('X-Forwarded-For is ignored if no proxy is trusted, or if the client is not a trusted proxy', () => {
  expect(addressOf('127.0.0.1', '9.9.9.9', [])).toBe('127.0.0.1')
  expect(addressOf('1.2.3.4', '9.9.9.9')).toBe('1.2.3.4')
  expect(addressOf('2001:db8::1', '9.9.9.9')).toBe('2001:db8:0:0::/64')
  // A closed socket has no address.
  expect(addressOf('', '9.9.9.9')).toBe('')
})

test.each([
  ['one proxy', '9.9.9.9', '9.9.9.9'],
  ['no header', undefined, '10.0.0.1'],
  ['an empty header', '', '10.0.0.1'],
  ['a forged entry before the entry of the proxy', '6.6.6.6, 9.9.9.9', '9.9.9.9'],
  ['two proxies', '9.9.9.9, 10.0.0.2', '9.9.9.9'],
  ['two proxies and a forged entry', '6.6.6.6, 9.9.9.9, 10.0.0.2', '9.9.9.9'],
  ['a client with a forged proxy address', '10.9.9.9, 9.9.9.9', '9.9.9.9'],
  ['a client inside the trusted block', '10.0.0.7', '10.0.0.7'],
  ['words', 'unknown', '10.0.0.1'],
  ['text after an address', '9.9.9.9, unknown', '10.0.0.1'],
  ['text before an address', 'unknown, 9.9.9.9', '9.9.9.9'],
  ['an invalid address', '999.1.1.1', '10.0.0.1'],
  ['entries with and without white space', ' 6.6.6.6,9.9.9.9 ,  10.0.0.2 ', '9.9.9.9'],
  ['a port', '9.9.9.9:4711', '9.9.9.9'],
  ['IPv6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['IPv6 in brackets', '[2001:db8::1]', '2001:db8:0:0::/64'],
  ['IPv6 in brackets with a port', '[2001:db8::1]:4711', '2001:db8:0:0::/64'],
  ['IPv6 in capitals', '2001:DB8::1', '2001:db8:0:0::/64'],
  ['a proxy with IPv6', '9.9.9.9, fd00::7', '9.9.9.9'],
  ['an IPv4-mapped address', '::ffff:9.9.9.9', '9.9.9.9'],
  ['an IPv4-mapped address in hexadecimal', '::ffff:909:909', '9.9.9.9'],
  ['an IPv4-mapped address without abbreviation', '0:0:0:0:0:FFFF:0909:0909', '9.9.9.9'],
  ['a proxy with an IPv4-mapped address', '9.9.9.9, ::ffff:10.0.0.3', '9.9.9.9'],
  ['IPv6 with an IPv4 suffix', '2001:db8::3:4:9.9.9.9', '2001:db8:0:0::/64'],
  ['IPv6 of zeros with an IPv4 suffix', '::3:4:5:6:9.9.9.9', '0:0:3:4::/64'],
  ['IPv6 with an IPv4 suffix, before an address', '2001:db8::3:4:9.9.9.9, 9.9.9.9', '9.9.9.9'],
  ['an IPv4-mapped address in mixed notation', '0::0:0:ffff:9.9.9.9', '9.9.9.9'],
  ['an address with a zone', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the address of a client behind a proxy is found: %s', (_, forwarded, address) => {
  expect(addressOf('10.0.0.1', forwarded)).toBe(address)
  expect(addressOf('::ffff:10.0.0.1', forwarded)).toBe(address)
})

test('only the last 20 addresses of X-Forwarded-For are read', () => {
  const proxies = Array.from({ length: 1000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`)
  expect(addressOf('10.0.0.1', `9.9.9.9,${proxies.slice(-19)}`)).toBe('9.9.9.9')
  expect(addressOf('10.0.0.1', `9.9.9.9,${proxies}`)).toBe(proxies.at(-20) as string)
  expect(addressOf('10.0.0.1', `${','.repeat(1000)}9.9.9.9`)).toBe('9.9.9.9')
})

test('a trusted proxy may be a single address in any notation', () => {
  expect(addressOf('10.0.0.1', '9.9.9.9', ['10.0.0.1'])).toBe('9.9.9.9')
  expect(addressOf('10.0.0.2', '9.9.9.9', ['10.0.0.1'])).toBe('10.0.0.2')
  expect(addressOf('10.0.0.1', '9.9.9.9', ['::ffff:10.0.0.1'])).toBe('9.9.9.9')
  expect(addressOf('::1', '9.9.9.9', ['::1'])).toBe('9.9.9.9')
})

test('all addresses of an IPv6 /64 block count as one client', () => {
  expect(addressOf('2001:db8:0:1::1')).toBe(addressOf('2001:db8:0:1:ffff:ffff:ffff:ffff'))
  expect(addressOf('2001:db8:0:1::1')).not.toBe(addressOf('2001:db8:0:2::1'))
  expect(addressOf('::1')).toBe('0:0:0:0::/64')
  expect(addressOf('1::')).toBe('1:0:0:0::/64')
})

test('an address or a CIDR block is valid in any notation', () => {
  const valid = [
    '10.0.0.1',
    '10.0.0.0/8',
    '0.0.0.0/0',
    '::1',
    'fd00::/8',
    '::ffff:10.0.0.1',
    '2001:db8::/128',
  ]
  const invalid = [
    ...['', '10.0.0', '10.0.0.1.', '256.0.0.1', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1'],
    ...['fd00::/129', 'localhost', '[::1]', ':', '1:2:3'],
  ]
  expect([...valid, ...invalid].filter(isAddressBlock)).toEqual(valid)
})
