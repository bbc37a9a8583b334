import type { ObjectInfo } from '@weir/storage';
import { componentOf } from '../component/component-spec.ts';
import { any, bool, child, interpolated } from '../component/field-types.ts';
import type { Metadata } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import {
  azureStorageFields,
  checkAzureStorage,
  openAzureContainer,
} from '../object-storage/azure-container.ts';
import { rfc3339 } from '../object-storage/foreign-bucket.ts';
import { ListedObjects } from '../object-storage/listed-objects.ts';
import { ObjectInput } from '../object-storage/object-input.ts';

export const azureBlobStorageInput = componentOf('input', {
  name: 'azure_blob_storage',
  about: 'Reads the blobs of a container of Azure Blob Storage, and ends after the last.',
  fields: {
    ...azureStorageFields,
    container: interpolated('The container.'),
    prefix: interpolated('What names of blobs begin with.').or(''),
    scanner: child('scanner', 'How a blob is cut into messages.').or({ to_the_end: {} }),
    delete_objects: bool('Whether blobs are deleted when all of their messages were written.')
      .or(false)
      .advanced(),
    targets_input: any('Notifications of new blobs.')
      .optional()
      .check(() => 'is not available in this release; without it, the blobs of the container are read')
      .advanced(),
  },
  check: (fields, reading, place) => checkAzureStorage(fields, reading, place),
  async open(fields, context) {
    const container = fields.container.text([], 0, context.mappingPorts);
    const scanner = await context.open(fields.scanner);
    const input = new ObjectInput(
      {
        source: new ListedObjects({
          bucket: container,
          prefix: fields.prefix.text([], 0, context.mappingPorts),
          open: () => openAzureContainer(container, fields, context),
        }),
        deletesObjects: fields.delete_objects,
        scanner,
        metadataOf,
      },
      context,
    );
    return new ReplayedInput(input, context.clock);
  },
});

function metadataOf({ key, modifiedMs, attributes = {} }: ObjectInfo, container: string): Metadata {
  const { contentType, contentEncoding, metadata = {} } = attributes;
  return new Map<string, string | number>([
    ['blob_storage_key', key],
    ['blob_storage_container', container],
    ['blob_storage_last_modified', rfc3339(modifiedMs)],
    ['blob_storage_last_modified_unix', Math.floor(modifiedMs / 1000)],
    ...(contentType ? [['blob_storage_content_type', contentType] as const] : []),
    ...(contentEncoding ? [['blob_storage_content_encoding', contentEncoding] as const] : []),
    ...Object.entries(metadata),
  ]);
}
