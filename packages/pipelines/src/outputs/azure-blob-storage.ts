import { componentOf } from '../component/component-spec.ts';
import { interpolated, oneOf } from '../component/field-types.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import {
  azureStorageFields,
  checkAzureStorage,
  openAzureContainer,
} from '../object-storage/azure-container.ts';
import { textFor } from '../object-storage/foreign-bucket.ts';
import { ObjectOutput, usualPath } from '../object-storage/object-output.ts';

/** As other outputs have it by default. */
const timeoutMs = 5_000;

export const azureBlobStorageOutput = componentOf('output', {
  name: 'azure_blob_storage',
  about: 'Writes each message as a block blob to a container of Azure Blob Storage, which has to exist.',
  fields: {
    ...azureStorageFields,
    container: interpolated('The container.'),
    path: interpolated('The name of the blob.').or(usualPath),
    blob_type: oneOf('The type of blobs.', ['BLOCK', 'APPEND'])
      .or('BLOCK')
      .check((type) =>
        type === 'APPEND'
          ? 'APPEND is not available in this release: a repeated write would append twice'
          : undefined,
      )
      .advanced(),
    public_access_level: oneOf('The access level of containers that are made.', [
      'PRIVATE',
      'BLOB',
      'CONTAINER',
    ])
      .or('PRIVATE')
      .check((level) =>
        level === 'PRIVATE' ? undefined : 'has to be PRIVATE: containers are not made by this release',
      )
      .advanced(),
    max_in_flight: maxInFlight.or(64),
  },
  check: (fields, reading, place) => checkAzureStorage(fields, reading, place),
  async open(fields, context) {
    const output = new ObjectOutput(
      {
        timeoutMs,
        collision: 'overwrite',
        open: (container) => openAzureContainer(container, fields, context),
        objectOf: (batch, index) => ({
          bucket: textFor(fields.container, batch, index, context),
          key: textFor(fields.path, batch, index, context),
          attributes: {},
        }),
      },
      context,
    );
    return pacedOutput(output, fields, context);
  },
});
