import type { Kind } from './kind.ts'
import { AI } from './kinds/ai.ts'
import { CHAT_MAIL } from './kinds/chat-mail.ts'
import { CLOUD } from './kinds/cloud.ts'
import { COMMANDS } from './kinds/commands.ts'
import { CONFIG } from './kinds/config.ts'
import { DATABASE } from './kinds/database.ts'
import { KEYS } from './kinds/keys.ts'
import { PAYMENT } from './kinds/payment.ts'
import { SAAS } from './kinds/saas.ts'
import { SCANNERS } from './kinds/scanners.ts'
import { VCS_CI } from './kinds/vcs-ci.ts'

/** Every kind of secret that the measure tries, by family. */
export const FAMILIES: Readonly<Record<string, readonly Kind[]>> = {
  cloud: CLOUD,
  'vcs-ci': VCS_CI,
  'chat-mail': CHAT_MAIL,
  payment: PAYMENT,
  ai: AI,
  saas: SAAS,
  database: DATABASE,
  commands: COMMANDS,
  config: CONFIG,
  keys: KEYS,
  scanners: SCANNERS,
}

/** Every kind of secret that the measure tries. */
export const KINDS: readonly Kind[] = Object.values(FAMILIES).flat()
