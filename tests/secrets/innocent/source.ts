import type { Draw } from '../kind.ts'
import { ALPHABET, type Random } from '../random.ts'
import { functionName, lines, noun, path } from './words.ts'

/** Source code, in which the words of secrets name types, fields and functions. */
export const SOURCE_FILES: Readonly<Record<string, Draw>> = {
  typescript: (random) => lines(random, 10, typescript),
  python: (random) => lines(random, 10, python),
  go: (random) => lines(random, 10, go),
  rust: (random) => lines(random, 10, rust),
  java: (random) => lines(random, 10, java),
  shell: (random) => lines(random, 30, shell),
  sql: (random) => lines(random, 30, sql),
  css: (random) => lines(random, 15, css),
  html: (random) => lines(random, 30, html),
  'minified-js': (random) => lines(random, 4, minified),
}

function typescript(random: Random): string {
  const name = functionName(random)
  const type = noun(random)
  return random.pick([
    `export interface ${type}Options {\n  readonly password: string\n  readonly token: Token\n  secret?: string | undefined\n}`,
    `export function ${name}(password: string, token: ${type}): Promise<${type}> {\n  return fetchToken(password, { token })\n}`,
    `const secret = getSecret()\nconst token = await ${name}(secret)\nif (token === undefined) throw new Error('no token')`,
    `const config = {\n  password: process.env.PASSWORD,\n  apiKey: process.env.API_KEY ?? '',\n  token: options.token,\n}`,
    `const password = form.get('password')\nconst isValid = password.length >= ${random.between(8, 16)}`,
    `headers: { Authorization: \`Bearer \${token}\`, 'X-Request-Id': ${name}Id },`,
    `import { ${name}, type ${type} } from '../${type.toLowerCase()}/${name}.ts'`,
    `expect(${name}(${random.below(900)})).toEqual({ inputTokens: ${random.below(90_000)}, outputTokens: ${random.below(9000)} })`,
    `  <input type="password" name="password" autoComplete="current-password" onChange={${name}} />`,
    `type Key${random.below(99)} = keyof ${type}\nconst keys: readonly string[] = Object.keys(${name})`,
    `export const TOKEN_${type.toUpperCase()} = Symbol('${name}')`,
    `password: z.string().min(${random.between(6, 12)}).max(128),\ntoken: z.string().uuid(),`,
  ])
}

function python(random: Random): string {
  const name = functionName(random).toLowerCase()
  return random.pick([
    `def ${name}(self, password: str, token: Optional[str] = None) -> bool:\n    return check_password(password, self.password_hash)`,
    `password = os.environ["PASSWORD"]\ntoken = os.getenv("API_TOKEN", default=None)`,
    `secret_key = config.get("secret_key")\napi_key = settings.API_KEY`,
    `password = getpass.getpass("Password: ")\nuser.set_password(password)`,
    `parser.add_argument("--password", help="the password of the ${noun(random).toLowerCase()}", required=True)`,
    `class ${noun(random)}Serializer(serializers.ModelSerializer):\n    password = serializers.CharField(write_only=True)`,
    `tokens = tokenizer.encode(text)\nassert len(tokens) == ${random.below(4096)}`,
    `logger.info("fetched %d tokens for %s", len(tokens), ${name})`,
    `auth = (username, password)\nresponse = session.get(url, auth=auth, headers={"Authorization": f"Bearer {token}"})`,
  ])
}

function go(random: Random): string {
  const type = noun(random)
  return random.pick([
    `type ${type}Config struct {\n\tPassword string \`json:"password"\`\n\tToken    string \`json:"token,omitempty"\`\n}`,
    `func (c *${type}Client) ${functionName(random)}(ctx context.Context, password string) error {\n\treturn c.do(ctx, password)\n}`,
    `password := os.Getenv("DB_PASSWORD")\nif password == "" {\n\tlog.Fatal("DB_PASSWORD is not set")\n}`,
    `req.Header.Set("Authorization", "Bearer "+token)`,
    `for token := lexer.Next(); token != nil; token = lexer.Next() {\n\tcount += ${random.below(9)}\n}`,
    `secret, err := clientset.CoreV1().Secrets(namespace).Get(ctx, secretName, metav1.GetOptions{})`,
  ])
}

function rust(random: Random): string {
  const type = noun(random)
  return random.pick([
    `pub struct ${type}Config {\n    pub password: SecretString,\n    pub token: Option<Token>,\n}`,
    `let password = std::env::var("PASSWORD").expect("PASSWORD is set");`,
    `fn ${functionName(random).toLowerCase()}(token: &Token, key: &[u8; 32]) -> Result<Secret, Error> {\n    todo!()\n}`,
    `impl fmt::Debug for ${type}Secret {\n    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n        f.write_str("[secret]")\n    }\n}`,
    `let tokens: Vec<Token> = Lexer::new(source).collect::<Vec<_>>();`,
    `assert_eq!(key.len(), ${random.below(64)});`,
  ])
}

function java(random: Random): string {
  const type = noun(random)
  return random.pick([
    `private final String password;\nprivate String apiToken = null;`,
    `public ${type}Builder password(String password) {\n    this.password = password;\n    return this;\n}`,
    `@Value("\${spring.datasource.password}")\nprivate String password;`,
    `String token = request.getHeader("Authorization").substring(${random.below(9)});`,
    `char[] password = passwordField.getPassword();`,
    `KeyStore keyStore = KeyStore.getInstance(KeyStore.getDefaultType());`,
  ])
}

function shell(random: Random): string {
  return random.pick([
    'PASSWORD=$PASSWORD docker compose up -d',
    `echo "$PASSWORD" | docker login --username ${noun(random).toLowerCase()} --password-stdin`,
    'export API_KEY="$(pass show acme/api-key)"',
    `read -r -s -p "Password: " PASSWORD`,
    'curl -H "Authorization: Bearer $TOKEN" https://api.acme.dev/v1/orders',
    'curl -u "$USER:$PASSWORD" https://nexus.acme.dev/',
    'git push origin HEAD:refs/heads/rotate-token',
    `mysql -u root -p shop < ${noun(random).toLowerCase()}.sql`,
    `grep -rn "password" src/ | wc -l # ${random.below(400)}`,
    'kubectl get secret db-credentials -o yaml',
    'ssh -i ~/.ssh/id_ed25519 deploy@10.0.0.4 uptime',
    `mkdir -p build/${random.below(99)} && tar -xzf release-${random.below(99)}.tar.gz`,
    `rg --files | xargs sed -i 's/token/cursor/g' # ${path(random)}`,
    'TOKEN=$(cat /run/secrets/token)',
    'if [ -z "$SECRET_KEY" ]; then echo "SECRET_KEY is not set" >&2; exit 2; fi',
  ])
}

function sql(random: Random): string {
  return random.pick([
    '  password_hash VARCHAR(255) NOT NULL,',
    `  token_id BIGINT REFERENCES tokens (id), -- ${random.below(999)}`,
    'SELECT id, email FROM users WHERE password = $1 AND token = ?;',
    `UPDATE users SET password = :password WHERE id = ${random.below(9999)};`,
    'CREATE INDEX sessions_token_idx ON sessions (token);',
    `INSERT INTO orders (id, total) VALUES (${random.below(99_999)}, ${random.below(999)}.50);`,
    'ALTER TABLE users ADD COLUMN secret TEXT;',
  ])
}

function css(random: Random): string {
  const color = (): string => `#${random.chars(ALPHABET.hex, 6)}`
  return random.pick([
    `.sk-${random.pick(['chasing', 'folding', 'cube'])}-dot-${random.below(99)} {\n  background-color: ${color()};\n}`,
    `.password-field__toggle--visible:hover { color: ${color()}; border: 1px solid ${color()} }`,
    `@media (min-width: ${random.between(300, 1600)}px) {\n  .token-list { grid-template-columns: repeat(${random.below(9)}, minmax(0, 1fr)) }\n}`,
    `--token-color-${noun(random).toLowerCase()}: hsl(${random.below(360)}deg ${random.below(100)}% ${random.below(100)}%);`,
    `  src: url('/fonts/inter-v${random.below(20)}-latin-${random.below(900)}.woff2') format('woff2');`,
  ])
}

function html(random: Random): string {
  return random.pick([
    `<label for="password">Password</label> <input id="password" type="password" required tabindex="${random.below(9)}">`,
    `<a href="/reset-password" class="link">Forgot your password?</a>`,
    `<meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<div data-testid="${functionName(random)}-${random.below(99)}" class="px-${random.below(9)} py-2">${noun(random)}</div>`,
    `<svg viewBox="0 0 24 24"><path d="M${random.below(24)} ${random.below(24)}L${random.below(24)} 4H5z"/></svg>`,
  ])
}

function minified(random: Random): string {
  const short = (): string => random.chars(ALPHABET.letters, random.between(1, 2))
  const parts = Array.from({ length: 40 }, () =>
    random.pick([
      `function ${short()}(${short()},${short()}){return ${short()}(${short()}.length,${random.below(999)})}`,
      `var ${short()}=${short()}(${random.below(99_999)}),${short()}=${short()}.n(${short()});`,
      `${short()}.password=${short()}.value,${short()}.token=null;`,
      `case"password":return ${short()}.type="password",!0;`,
      `${short()}.exports={token:${short()},key:${short()}};`,
      `"use strict";Object.defineProperty(${short()},"__esModule",{value:!0});`,
    ]),
  )
  return `!function(e,t){${parts.join('')}}(this,function(){});`
}
