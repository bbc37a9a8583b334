import { bucketUrlsOf } from '@weir/storage';

/** A bucket URL without credentials, and without parameters except the folder, which may be the only difference. */
export function bucketUrlForMessages(bucketUrl: string): string {
  const urls = bucketUrlsOf(bucketUrl).map((url) => {
    const [place = '', query = ''] = url.split('?', 2);
    const prefix = new URLSearchParams(query).get('prefix');
    return place.replace(/\/\/[^/]*@/, '//') + (prefix === null ? '' : `?prefix=${prefix}`);
  });
  return (/^service_\w+:\/\//.exec(bucketUrl)?.[0] ?? '') + urls.join('<>');
}
