import type { ObjectStore } from '@weir/storage';
import { ownSessionFields } from '../aws/aws-session.ts';
import { componentOf } from '../component/component-spec.ts';
import { string } from '../component/field-types.ts';
import { retried, retries } from '../component/retries.ts';
import { pipelineLimits } from '../limits.ts';
import { openS3Bucket, pathStyle } from '../object-storage/aws-bucket.ts';

export const awsS3Cache = componentOf('cache', {
  name: 'aws_s3',
  about:
    'Keeps each item as an object of a bucket of S3, whose key is that of the item. Items do not expire.',
  fields: {
    bucket: string('The bucket.'),
    content_type: string('The type of the content of objects.').or('application/octet-stream'),
    force_path_style_urls: pathStyle,
    retries: retries({ initial: '1s', max: '5s', elapsed: '30s' }),
    ...ownSessionFields,
  },
  open(fields, context) {
    const attributes = { contentType: fields.content_type };
    let opening: Promise<ObjectStore> | undefined;
    const call = <Result>(use: (store: ObjectStore) => Promise<Result>) =>
      retried(fields.retries, context, async () => {
        opening ??= openS3Bucket(fields.bucket, fields, context);
        return use(await opening);
      });
    return {
      get: (key) =>
        call(async (store) => {
          const { ObjectNotFound } = await import('@weir/storage');
          try {
            return await store.getRange(key, 0, pipelineLimits.cachedObjectBytesMax);
          } catch (error) {
            if (error instanceof ObjectNotFound) return undefined;
            throw error;
          }
        }),
      set: (key, value) => call((store) => store.put(key, [value], { attributes })),
      add: (key, value) => call((store) => store.putIfAbsent(key, [value], { attributes })),
      delete: (key) => call((store) => store.delete(key)),
      close: async () => (await opening?.catch(() => undefined))?.close(),
    };
  },
});
