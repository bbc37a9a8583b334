/** A bucket URL without credentials, and without parameters except the folder, which may be the only difference. */
export function bucketUrlForMessages(bucketUrl: string): string {
  const [place = '', query = ''] = bucketUrl.split('?', 2);
  const prefix = new URLSearchParams(query).get('prefix');
  return place.replace(/\/\/[^/]*@/, '//') + (prefix === null ? '' : `?prefix=${prefix}`);
}
