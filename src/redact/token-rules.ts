import { type Rule, token } from './rule.ts'

const HEX = '[0-9a-f]'
const ALNUM = '[A-Za-z0-9]'
const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`
const END = '(?![A-Za-z0-9])'

/** Tokens that say by their beginning what they are. Each row: kind, how it begins, what follows. */
export const tokenRules: readonly Rule[] = [
  // Where code lives.
  token('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], `${ALNUM}{36,255}`, { glued: true }),
  token('github-token', ['github_pat_'], '\\w{82}', { glued: true }),
  token(
    'gitlab-token',
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glimt-', 'glagent-', 'gloas-', 'glsoat-', 'glffct-'],
    '[\\w-]{20,300}(?:\\.[0-9a-z]{2}\\.[0-9a-z]{9})?',
  ),
  token('gitlab-token', ['GR1348941'], '[\\w-]{20,50}'),
  token('bitbucket-token', ['ATBB'], `${ALNUM}{32}${END}`),
  token('atlassian-token', ['ATATT3', 'ATCTT3'], '[\\w=-]{60,300}'),
  token('sourcegraph-token', ['sgp_'], `(?:${ALNUM}{5,16}_)?${HEX}{40}${END}`),

  // Packages and images.
  token('npm-token', ['npm_'], `${ALNUM}{36}`, { glued: true }),
  token('pypi-token', ['pypi-AgEI', 'pypi-AgEN'], '[\\w-]{50,1000}', { reach: 1100 }),
  token('rubygems-key', ['rubygems_'], `${HEX}{48}`),
  token('nuget-key', ['oy2'], `[a-z0-9]{43}${END}`, { short: true }),
  token('crates-io-token', ['cio'], `${ALNUM}{32}${END}`, { short: true }),
  token('clojars-token', ['CLOJARS_'], '[0-9a-zA-Z]{60}'),
  token('docker-token', ['dckr_pat_', 'dckr_oat_'], '[\\w-]{27,36}'),
  token('artifactory-key', ['AKCp'], `${ALNUM}{69}${END}`),

  // Models.
  token('anthropic-key', ['sk-ant-'], '[a-z]{2,8}\\d{2}-[\\w-]{86,120}'),
  token('openai-key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], '[\\w-]{40,200}'),
  token('openai-key', ['sk-'], `(?:${ALNUM}{20}T3BlbkFJ${ALNUM}{20}|${ALNUM}{48}|${HEX}{32})(?![\\w-])`, {
    short: true,
  }),
  token('openrouter-key', ['sk-or-v1-'], `${HEX}{64}`),
  token('langfuse-key', ['sk-lf-'], UUID),
  token('langsmith-key', ['lsv2_pt_', 'lsv2_sk_'], `${HEX}{32}_${HEX}{10}`),
  token('huggingface-token', ['hf_', 'api_org_'], `[A-Za-z0-9]{34}${END}`, { short: true }),
  token('replicate-token', ['r8_'], `${ALNUM}{37}${END}`, { short: true }),
  token('perplexity-key', ['pplx-'], `${ALNUM}{48}`),
  token('groq-key', ['gsk_'], `${ALNUM}{52}`),
  token('xai-key', ['xai-'], `${ALNUM}{80}`),
  token('nvidia-key', ['nvapi-'], '[\\w-]{64}'),
  token('voyage-key', ['pa-'], '[\\w-]{43}(?![\\w-])', { short: true }),
  token('fireworks-key', ['fw_'], `${ALNUM}{22,24}${END}`, { short: true }),
  token('pinecone-key', ['pcsk_'], `${ALNUM}{5,7}_${ALNUM}{58,66}`),
  token('tavily-key', ['tvly-'], '(?:dev-|prod-)?[\\w-]{32,48}'),

  // Clouds and hosting.
  token('aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], `(?!IOSFODNN7EXAMPLE)[A-Z0-9]{16}${END}`, { short: true }),
  token('aws-bedrock-key', ['ABSK'], '[A-Za-z0-9+/]{100,140}={0,2}'),
  token('google-api-key', ['AIza'], '[\\w-]{35}'),
  token('google-oauth-secret', ['GOCSPX-'], '[\\w-]{28}'),
  token('google-oauth-token', ['ya29.'], '[\\w.-]{20,2048}', { reach: 2100 }),
  token('google-refresh-token', ['1//0'], '[\\w-]{30,200}'),
  token('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], `${HEX}{64}`),
  token('alibaba-key', ['LTAI'], `${ALNUM}{17,24}${END}`, { short: true }),
  token('heroku-key', ['HRKU-'], '[\\w-]{36,80}'),
  token('netlify-token', ['nfp_'], `${ALNUM}{36}`),
  token('vercel-token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], `${ALNUM}{20,60}`),
  token('render-key', ['rnd_'], `${ALNUM}{28,32}${END}`, { short: true }),
  token('fly-token', ['FlyV1 fm', 'fm2_', 'fo1_'], '[\\w+/=,-]{40,2000}', { reach: 2100 }),
  token('cloudflare-origin-key', ['v1.0-'], `${HEX}{24}-${HEX}{146}`, { short: true }),
  token('supabase-key', ['sbp_'], `(?:v0_|oauth_)?${HEX}{40}`),
  token('supabase-key', ['sb_secret_'], '[\\w-]{20,60}'),
  token('neon-key', ['napi_'], `${ALNUM}{60,70}`),
  token('planetscale-key', ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], '[\\w.=-]{32,64}'),
  token('databricks-token', ['dapi'], `${HEX}{32}(?:-\\d)?${END}`),
  token('pulumi-token', ['pul-'], `${HEX}{40}${END}`, { short: true }),
  token(
    'doppler-token',
    ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    '(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}',
  ),
  token('vault-token', ['hvs.', 'hvb.', 'hvr.'], '[\\w-]{24,300}'),
  token('age-key', ['AGE-SECRET-KEY-1'], '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'),

  // Money and shops.
  token('stripe-key', ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], `${ALNUM}{16,247}`),
  token('webhook-secret', ['whsec_'], '[A-Za-z0-9+/]{24,100}={0,2}'),
  token('square-token', ['sq0atp-', 'sq0csp-', 'sq0idp-'], '[\\w-]{22,43}'),
  token('square-token', ['EAAA'], `[\\w-]{60}(?![\\w-])`, { short: true }),
  token('shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], '[A-Fa-f0-9]{32}'),
  token('razorpay-key', ['rzp_live_', 'rzp_test_'], `${ALNUM}{14}`),
  token('flutterwave-key', ['FLWSECK-', 'FLWSECK_TEST-'], `${HEX}{32}-X`),
  token('shippo-token', ['shippo_live_', 'shippo_test_'], `${HEX}{40}`),
  token('duffel-token', ['duffel_live_', 'duffel_test_'], '[\\w-]{43}'),
  token('easypost-key', ['EZAK', 'EZTK'], `${ALNUM}{54}${END}`),

  // Messages and mail.
  token(
    'slack-token',
    ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxo-', 'xoxe-', 'xoxe.', 'xapp-', 'xoxc-', 'xoxd-'],
    '[A-Za-z0-9%.-]{20,300}',
  ),
  token('sendgrid-key', ['SG.'], '[\\w-]{22}\\.[\\w-]{43}', { short: true }),
  token('twilio-key', ['SK'], `${HEX}{32}${END}`, { short: true }),
  token('mailgun-key', ['key-'], `${HEX}{32}${END}`, { short: true }),
  token('brevo-key', ['xkeysib-'], `${HEX}{64}-${ALNUM}{16}`),
  token('facebook-token', ['EAAC', 'EAAG', 'EAAJ', 'EAAB'], `${ALNUM}{90,400}`, { short: true }),

  // Work and watching.
  token('linear-key', ['lin_api_', 'lin_oauth_'], `${ALNUM}{32,128}`),
  token('notion-token', ['ntn_'], `\\d{11}${ALNUM}{35}`),
  token('notion-token', ['secret_'], `${ALNUM}{43}${END}`, { short: true }),
  token('figma-token', ['figd_', 'figo_'], '[\\w-]{40,200}'),
  token('airtable-token', ['pat'], `${ALNUM}{14}\\.${HEX}{64}`, { short: true }),
  token('hubspot-token', ['pat-na1-', 'pat-na2-', 'pat-eu1-'], UUID),
  token('postman-key', ['PMAK-'], `${HEX}{24}-${HEX}{34}`),
  token('contentful-token', ['CFPAT-'], '[\\w-]{43}'),
  token('dropbox-token', ['sl.'], '(?:u\\.)?[\\w-]{130,2000}', { short: true, reach: 2100 }),
  token('sentry-token', ['sntrys_', 'sntryu_'], '[A-Za-z0-9+/=_-]{40,400}', { reach: 600 }),
  token('newrelic-key', ['NRAK-', 'NRII-', 'NRAA-'], '[A-Za-z0-9_-]{27,32}'),
  token('grafana-token', ['glsa_'], `${ALNUM}{32}_[A-Fa-f0-9]{8}`),
  token('grafana-token', ['glc_'], '[A-Za-z0-9+/]{32,400}={0,2}'),
  token('dynatrace-token', ['dt0c01.', 'dt0s01.', 'dt0s16.'], '[A-Z0-9]{8,24}\\.[A-Z0-9]{64}'),
  token('onepassword-token', ['ops_ey'], '[A-Za-z0-9+/=_-]{100,1400}', { reach: 1500 }),
]
