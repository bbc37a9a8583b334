/** Whether an `Accept-Encoding` header permits gzip. An explicit entry takes precedence over the star. */
export function acceptsGzip(header: string | undefined): boolean {
  const qualities = new Map((header ?? '').split(',').map(qualityOf));
  return (qualities.get('gzip') ?? qualities.get('x-gzip') ?? qualities.get('*') ?? 0) > 0;
}

function qualityOf(part: string): [coding: string, quality: number] {
  const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  // An invalid quality does not permit it.
  return [coding, given === undefined ? 1 : Number(/^[01](?:\.\d{0,3})?$/.test(given) ? given : 0)];
}
