import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import { EXAMPLE, type Rule, type Span } from './rule.ts'

/**
 * The rules of secretlint's recommended preset that we use: kind, keywords, and how far behind the keyword a secret can
 * reach. Their functions are called directly, since the engine around them is asynchronous and obeys comments in the text
 * (`secretlint-disable`), which a log must not be able to do.
 */
const USED: Readonly<Record<string, readonly [kind: string, keywords: readonly string[], reach: number]>> = {
  npm: ['npm-token', ['npm_'], 100],
  slack: ['slack-token', ['xoxb-', 'xoxp-', 'xapp-', 'xoxa-', 'xoxo-', 'xoxr-'], 400],
  openai: ['openai-key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-'], 300],
  anthropic: ['anthropic-key', ['sk-ant-'], 200],
  groq: ['groq-key', ['gsk_'], 100],
  huggingface: ['huggingface-token', ['hf_'], 100],
  linear: ['linear-key', ['lin_api_'], 200],
  notion: ['notion-token', ['ntn_'], 100],
  privatekey: ['private-key', ['-----begin'], 10_200],
  sendgrid: ['sendgrid-key', ['sg.'], 420],
  shopify: ['shopify-token', ['shppa_', 'shpca_', 'shpat_', 'shpss_'], 120],
  github: ['github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'], 200],
  gitlab: ['gitlab-token', ['glpat-'], 200],
  grafana: ['grafana-token', ['glc_', 'glsa_'], 500],
  '1password': ['onepassword-token', ['ops_ey'], 1400],
  'hashicorp-vault': ['vault-token', ['hvs.', 'hvb.', 'hvr.'], 400],
  vercel: ['vercel-token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], 100],
  databricks: ['databricks-token', ['dapi'], 100],
  docker: ['docker-token', ['dckr_pat_'], 100],
  figma: ['figma-token', ['figd_'], 300],
}

/**
 * Those that we leave out: `aws` gives the place of the name and not of the secret, `gcp` looks at names of files,
 * `basicauth` and `database-connection-string` hide the whole address and not only its password, `filter-comments` lets
 * the text switch rules off. What they are for, our own rules do.
 */
export const LEFT_OUT: readonly string[] = ['aws', 'gcp', 'basicauth', 'database-connection-string', 'filter-comments']

/** The names of the preset's rules, without what they all begin with. */
export const presetNames: readonly string[] = rules.map(({ meta }) => nameOf(meta.id))

/** secretlint's rules, each asked at its keywords like one of ours. */
export const secretlintRules: readonly Rule[] = rules.flatMap((rule) => {
  const used = USED[nameOf(rule.meta.id)]
  if (!used) return []
  const [kind, keywords, reach] = used
  const spans: Span[] = []
  const context = {
    sharedOptions: {},
    createTranslator: () => () => ({ message: '', messageId: '' }),
    report: ({ range: [from, to] }: { readonly range: readonly number[] }) => {
      spans.push({ from: from as number, to: to as number })
    },
    ignore: () => {},
  }
  const { file } = rule.create(context as never, {})
  return [
    {
      kind,
      keywords,
      isSecond: true,
      // Our own rules for the same kinds open encodings.
      mayBeEncoded: () => false,
      match(text: string, at: number): Span | undefined {
        // One character before, since the rules look whether a letter precedes.
        const start = Math.max(0, at - 1)
        const content = text.slice(start, at + reach)
        spans.length = 0
        file?.({ content, filePath: '', ext: '', contentType: 'text' } as never)
        const found = spans.find(({ from }) => start + from === at)
        return found && !EXAMPLE.test(content.slice(found.from, found.to))
          ? { from: at, to: start + found.to }
          : undefined
      },
    },
  ]
})

function nameOf(id: string): string {
  return id.replace('@secretlint/secretlint-rule-', '')
}
