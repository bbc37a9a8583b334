import { readFile } from 'node:fs/promises';
import type { Clock } from '@weir/core';
import { Failure } from '@weir/core';
import { RecordSchemas } from '@weir/registry/decoding';
import type { CommandValues } from '../flags/catalogue.ts';

/** A producer waits for an unknown schema, so a registry that does not answer is not asked for long. */
const timeoutMs = 5_000;
const attemptsMax = 2;

/** Schemas of the registry that the flags name, for records. */
export async function externalSchemas(
  values: CommandValues<'agent'>,
  { resources, clock }: { readonly resources: AsyncDisposableStack; readonly clock: Clock },
): Promise<RecordSchemas | undefined> {
  const { externalSchemaRegistryURL: urls, externalSchemaRegistryUsername: username } = values;
  if (urls.length === 0) return undefined;
  const password = await passwordOf(values);
  const authorities = await readAuthorities(values.externalSchemaRegistryCACertFile);
  const { InvalidRegistryAddress, RegistryClient } = await import('@weir/registry');
  try {
    const registry = new RegistryClient({
      urls: urls.join(),
      credentials:
        // The rules have rejected a user name without a password before an agent starts.
        username === undefined ? undefined : { kind: 'basic', username, password: password! },
      tls: { ca: authorities },
      timeoutMs,
      attemptsMax: Math.max(attemptsMax, urls.length),
      clock,
    });
    const schemas = new RecordSchemas({ registry, isOwn: false, clock });
    resources.defer(async () => {
      await schemas.close();
      registry.close();
    });
    return schemas;
  } catch (error) {
    if (!(error instanceof InvalidRegistryAddress)) throw error;
    throw new Failure(`-externalSchemaRegistryURL: ${error.message}`, { cause: error });
  }
}

async function passwordOf({
  externalSchemaRegistryPassword: password,
  externalSchemaRegistryPasswordFile: path,
}: CommandValues<'agent'>): Promise<string | undefined> {
  if (path === undefined) return password;
  const subject = `-externalSchemaRegistryPasswordFile=${path}`;
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${subject}: failed to read the file (${error.code})`);
  });
  const read = text.replace(/\r?\n$/, '');
  if (read === '' || /\p{Cc}/u.test(read)) throw new Failure(`${subject}: not a password on one line`);
  return read;
}

async function readAuthorities(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const subject = `-externalSchemaRegistryCACertFile=${path}`;
  const pem = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${subject}: failed to read the file (${error.code})`);
  });
  // TLS ignores what is no certificate, and then trusts no server without saying why.
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new Failure(`${subject}: no PEM certificate found`);
  return pem;
}
