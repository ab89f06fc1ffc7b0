import { base64Of, joined, of, strongPassword } from '../draws.ts'
import { type Draw, type Kind, lined, marked, named, placed, written } from '../kind.ts'
import type { Random } from '../random.ts'

/** Private halves of key pairs. */
export const KEYS: readonly Kind[] = [
  block('rsa-key', 'RSA PRIVATE KEY', 'MIIE', 1190),
  block('pkcs8-key', 'PRIVATE KEY', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 1200),
  block('encrypted-pkcs8-key', 'ENCRYPTED PRIVATE KEY', 'MIIFLTBXBgkqhkiG9w0BBQ0w', 1300),
  block('ec-key', 'EC PRIVATE KEY', 'MHcCAQEEI', 114),
  block('dsa-key', 'DSA PRIVATE KEY', 'MIIBuwIBAAKBgQ', 440),
  block('ed25519-key', 'PRIVATE KEY', 'MC4CAQAwBQYDK2VwBCIEI', 33),
  block('openssh-key', 'OPENSSH PRIVATE KEY', 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB', 260),
  block('openssh-rsa-key', 'OPENSSH PRIVATE KEY', 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB', 1800),
  block('pgp-key', 'PGP PRIVATE KEY BLOCK', '\nlQOYBG', 1400),
  {
    name: 'gcp-service-account',
    make: (random) =>
      written(
        `{"type":"service_account","project_id":"shop-42","private_key":"${edge('BEGIN', 'PRIVATE KEY')}\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC`,
        bodyOf(random, 32, 1200).replaceAll('\n', '\\n'),
        `\\n${edge('END', 'PRIVATE KEY')}\\n","client_email":"ci@shop-42.iam.gserviceaccount.com"}`,
      ),
  },
  {
    name: 'key-in-env',
    make: (random) =>
      written(
        `SSH_PRIVATE_KEY="${edge('BEGIN', 'RSA PRIVATE KEY')}\\nMIIE`,
        bodyOf(random, 4, 800).replaceAll('\n', '\\n'),
        `\\n${edge('END', 'RSA PRIVATE KEY')}"`,
      ),
  },
  {
    name: 'putty-key',
    make: (random) =>
      written('PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n', base64Of(36)(random)),
    context: 'line',
  },
  placed('age-key', 'AGE-SECRET-KEY-1', of('bech32', 58)),
  marked('age-key-env', 'SOPS_AGE_KEY', 'AGE-SECRET-KEY-1', of('bech32', 58)),
  lined('wireguard-private', '[Interface]\nAddress = 10.8.0.2/24\nPrivateKey = ', base64Of(32)),
  lined('wireguard-preshared', '[Peer]\nAllowedIPs = 0.0.0.0/0\nPresharedKey = ', base64Of(32)),
  placed('json-web-key', '{"kty":"EC","crv":"P-256","d":"', of('base64url', 43), '"}'),
  named('ethereum-key', 'ETH_PRIVATE_KEY', joined('0x', of('hex', 64))),
  named('bitcoin-key', 'BTC_PRIVATE_KEY', joined('5', of('base58', 50))),
  placed('extended-private-key', 'xprv9s21ZrQH143K', of('base58', 95)),
  named('vapid-key', 'VAPID_PRIVATE_KEY', of('base64url', 43)),
  named('key-password', 'KEYSTORE_PASSWORD', strongPassword),
]

/** A key block; `opening` is the start of the body that all keys of its sort share. */
function block(name: string, label: string, opening: string, length: number): Kind {
  const make = (random: Random) =>
    written(
      `${edge('BEGIN', label)}\n${opening}`,
      bodyOf(random, opening.trim().length, length),
      `\n${edge('END', label)}`,
    )
  return { name, make, context: 'line' }
}

/** Base64 in lines of 64, of which the first already holds `taken` characters. */
function bodyOf(random: Random, taken: number, length: number): string {
  const draw: Draw = of('base64', length)
  return (' '.repeat(taken) + draw(random)).replace(/.{64}(?=.)/g, '$&\n').trimStart()
}

function edge(side: 'BEGIN' | 'END', label: string): string {
  return `-----${side} ${label}-----`
}
