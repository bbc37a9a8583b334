import { storageLimits } from '../limits.ts';
import { checkKey } from '../store/key.ts';
import type { IncompleteUploads } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { isSuccess } from '../store-http/response-reader.ts';
import { elementsOf, textOf } from '../store-http/xml.ts';
import { abortUpload } from './multipart-upload.ts';
import { isNotOffered, s3Error } from './s3-errors.ts';
import type { S3Requests } from './s3-requests.ts';

/** The uploads of a bucket that were begun and neither finished nor aborted. */
export function incompleteUploads(requests: S3Requests): IncompleteUploads {
  const isExpress = requests.location.zoneId !== undefined;
  return {
    async list(prefix, { from, signal } = {}) {
      // A directory bucket takes only prefixes that end with a slash, and its marker is no key.
      const asked = isExpress ? prefix.slice(0, prefix.lastIndexOf('/') + 1) : prefix;
      const markers = isExpress
        ? { 'key-marker': from?.uploadId }
        : { 'key-marker': from?.key, 'upload-id-marker': from?.uploadId };
      const response = await requests.bucket(prefix, 'GET', signal, {
        query: { uploads: '', prefix: asked === '' ? undefined : asked, ...markers },
        bodyBytesMax: storageLimits.storeListBodyBytesMax,
      });
      if (isNotOffered(response)) return { uploads: [] };
      if (!isSuccess(response)) throw s3Error(prefix, response);
      const xml = response.body.toString('utf8');
      const uploads = Array.from(elementsOf(xml, 'Upload'), (upload) => ({
        key: textOf(upload, 'Key'),
        uploadId: textOf(upload, 'UploadId'),
        // Without a time it is not old.
        begunMs: Date.parse(textOf(upload, 'Initiated')) || Number.MAX_SAFE_INTEGER,
      }));
      const nextKey = textOf(xml, 'NextKeyMarker');
      const nextUpload = textOf(xml, 'NextUploadIdMarker');
      const next = isExpress ? { key: asked, uploadId: nextKey } : { key: nextKey, uploadId: nextUpload };
      const isCut = textOf(xml, 'IsTruncated') === 'true' && nextKey !== '';
      return { uploads: uploads.filter(({ key }) => key.startsWith(prefix)), next: isCut ? next : undefined };
    },

    async abort({ key, uploadId }, { signal } = {}) {
      checkKey(key);
      try {
        await abortUpload(requests, { key, uploadId }, signal);
      } catch (error) {
        if (!(error instanceof StoreError && error.kind === 'notFound')) throw error;
      }
    },
  };
}
