import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Installed in a separate folder, only when needed. */
const folder = join(import.meta.dirname, '../../../node_modules/.cache/weir-openapi-validator');
const listed = join(import.meta.dirname, 'validator');
const program = join(folder, 'node_modules/@seriousme/openapi-schema-validator/index.js');

/** Why the validator is not available here, as the `skip` of a test. */
export function missingOpenApiValidator(): string | false {
  if (existsSync(program)) return false;
  mkdirSync(folder, { recursive: true });
  cpSync(listed, folder, { recursive: true });
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { error, stderr } = spawnSync('npm', options, { cwd: folder, encoding: 'utf8', timeout: 300_000 });
  if (existsSync(program)) return false;
  return `failed to install the OpenAPI validator: ${error?.message ?? (stderr ?? '').trim().split('\n').at(-1)}`;
}

interface Validator {
  readonly version: string;
  validate(document: object): Promise<{ readonly valid: boolean; readonly errors?: unknown }>;
}

/** Returns the version of OpenAPI that a document follows. Throws if it breaks a rule of it. */
export async function openApiVersionOf(document: object): Promise<string> {
  const { Validator } = (await import(program)) as { Validator: new () => Validator };
  const validator = new Validator();
  const { valid, errors } = await validator.validate(document);
  if (!valid) throw new Error(`the document is not valid: ${JSON.stringify(errors)}`);
  return validator.version;
}
