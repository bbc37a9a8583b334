import { errorTable } from '@weir/api';
import type { SecretBox } from '../accounts/secrets/secret-box.ts';
import { openSecretBox } from '../accounts/secrets/secret-key-file.ts';
import { accountsUrlOf } from './accounts-url.ts';
import type { ControlPlaneProcessOptions } from './options.ts';
import { SettingsFileProblem } from './settings-file-problem.ts';

type SealingOptions = Pick<ControlPlaneProcessOptions, 'databaseUrl' | 'sealingKeysFile' | 'log'>;

/**
 * Opens the box that seals secrets which have to be sent again. A missing key is logged at the start, before a user
 * fails to sign in.
 */
export async function openSealing(
  { databaseUrl, sealingKeysFile: keyFile, log }: SealingOptions,
  randomBytes: (count: number) => Uint8Array,
): Promise<SecretBox | undefined> {
  const url = accountsUrlOf(databaseUrl);
  const secretBox = await openSecretBox({ databaseUrl: url, keyFile, randomBytes }).catch((error: Error) => {
    throw new SettingsFileProblem('sealingKeysFile', keyFile ?? `${url}.secret-key`, error);
  });
  if (secretBox === undefined)
    log.warn('disabled single sign-on: no sealing keys configured', {
      error: errorTable.no_sealing_keys.message,
    });
  return secretBox;
}
