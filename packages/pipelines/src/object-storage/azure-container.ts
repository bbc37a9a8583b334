import type { ObjectStore } from '@weir/storage';
import type { ComponentContext } from '../component/component-context.ts';
import type { Values } from '../component/field.ts';
import { string } from '../component/field-types.ts';
import type { Reading, TextPlace } from '../component/reading.ts';
import { openBucketOf } from './foreign-bucket.ts';

/** The fields of every component of Azure storage. The connection string comes first, then the key, then the token. */
export const azureStorageFields = {
  storage_account: string('The storage account.').or(''),
  storage_access_key: string('A key of the storage account.').or('').secret(),
  storage_connection_string: string('A connection string of the storage account.').or('').secret(),
  storage_sas_token: string('A SAS token of the storage account or of the container.').or('').secret(),
};

type AzureStorage = Values<typeof azureStorageFields>;

/** Notes what the fields cannot mean together. */
export function checkAzureStorage(
  { storage_account, storage_connection_string }: AzureStorage,
  reading: Reading,
  place: TextPlace,
): void {
  if (storage_account === '' && storage_connection_string === '')
    reading.problem(place, 'storage_account or storage_connection_string has to be set');
}

export function openAzureContainer(
  container: string,
  fields: AzureStorage,
  context: ComponentContext,
): Promise<ObjectStore> {
  const { storage_account: account, storage_connection_string: connection } = fields;
  const key = connection === '' ? fields.storage_access_key : '';
  const sas = connection === '' && key === '' ? fields.storage_sas_token : '';
  return openBucketOf(
    {
      scheme: 'azblob',
      bucket: container,
      credentials: {
        // The account of a connection string is the one that it has.
        ...(account !== '' && connection === '' && { AZURE_STORAGE_ACCOUNT: account }),
        ...(key !== '' && { AZURE_STORAGE_KEY: key }),
        ...(sas !== '' && { AZURE_STORAGE_SAS_TOKEN: sas }),
        ...(connection !== '' && { AZURE_STORAGE_CONNECTION_STRING: withAccount(connection, account) }),
      },
      credentialFields: 'storage_access_key, storage_sas_token or storage_connection_string',
      hasCredentials: connection + key + sas !== '',
      // Identities of a machine are found by pipelines that a person runs there.
      usesMetadataService: false,
    },
    context,
  );
}

function withAccount(connection: string, account: string): string {
  if (account === '' || /(?:^|;)\s*(?:AccountName|UseDevelopmentStorage)=/i.test(connection))
    return connection;
  return `AccountName=${account};${connection}`;
}
