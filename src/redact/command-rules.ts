import { type Rule, shape } from './rule.ts'
import { isPasswordValue } from './secret-value.ts'

// A command may go on behind a backslash at the end of a line.
const flag = (source: string) => `(?:(?!-stdin)[^\\n|;&\\\\]|\\\\\\n){0,200}?\\s${source}`
const USER = '["\']?[\\w.@+-]{1,64}'

/**
 * Where commands take passwords: their names, and what stands between the name and the password. Flags that mean something
 * else elsewhere (`docker run -p`) are known with their command only.
 */
const COMMANDS: readonly (readonly [names: readonly string[], between: string])[] = [
  [['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mariadb', 'mariadb-dump', '7z', '7za', 'unrar'], flag('-p')],
  [['mongosh', 'mongo', 'mongodump', 'mongorestore', 'mongoexport', 'mongoimport', 'cqlsh', 'twine'], flag('-p\\s+')],
  [['docker login', 'podman login', 'registry login', 'oc login', 'az login', 'cf login', 'sshpass'], flag('-p\\s*')],
  [['sqlcmd', 'bcp', 'zip', 'mosquitto_pub', 'mosquitto_sub'], flag('-P\\s*')],
  [['redis-cli'], flag('(?:-a|--pass)\\s+')],
  [['ldapsearch', 'ldapmodify', 'ldapadd', 'ldapdelete', 'ldappasswd'], flag('-[ws]\\s+')],
  [['smbclient', 'rpcclient', 'smbget'], flag(`-U\\s+${USER}%`)],
  [['lftp'], flag(`-u\\s+${USER},`)],
  [['curl', 'wget'], flag(`(?:-u|--user)[= ]\\s*${USER}:`)],
  [['http', 'https', 'xh'], flag(`(?:-a|--auth)[= ]\\s*${USER}:`)],
  [['openssl'], flag('-pass(?:in|out)?\\s+pass:')],
  [['cmdkey'], flag('/pass:')],
  [['secret set'], flag('(?:-b|--body)\\s+')],
  [['put-parameter', 'put-secret-value', 'create-secret'], flag('--(?:value|secret-string)\\s+')],
  [['sqlplus', 'expdp', 'impdp', 'sqlldr', 'jdbc:oracle:thin'], `[\\s:]${USER}/`],
  [['net user'], `\\s${USER}\\s+`],
  [['wandb login', 'snyk auth', 'add-authtoken'], '\\s{1,3}'],
]

const isSecret = (secret: string) => isPasswordValue(secret, 'setting')
const isGuess = true

/** Passwords in commands, each known by the flag that its command has for them. */
export const commandRules: readonly Rule[] = [
  ...COMMANDS.map(([names, between]) => {
    const source = `(?<![\\w./]|[\\w./]-)(?:${names.join('|')})${between}["']?(?<secret>[^\\s"'\`|;&<>@\\\\]{6,256})`
    const keywords = names.map((name) => (name.includes(' ') || name.includes(':') ? name : `${name} `))
    return shape('command-password', keywords, new RegExp(source), { isSecret, isGuess })
  }),
  // A password that is typed into another command.
  shape(
    'command-password',
    ['echo ', 'printf '],
    /(?:echo|printf)\s{1,3}(?:-n\s{1,3})?["']?(?:[\w.-]{1,64}:)?(?<secret>[^\s"'`|;&<>\\]{6,256})["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3}(?:-\w{1,9}\s{1,3}){0,4}-S|(?:sudo\s{1,3})?chpasswd|[^\n|]{1,80}--password-stdin)/,
    { isSecret, isGuess },
  ),
  shape(
    'command-password',
    ['convertto-securestring'],
    /ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?["'](?<secret>[^"'\s]{6,256})["']/i,
    { isSecret, isGuess },
  ),
]
