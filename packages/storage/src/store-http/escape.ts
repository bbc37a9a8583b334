/** Escapes everything but letters, digits and `-._~`, once; slashes stay. */
export function escapePath(path: string): string {
  return escapeQuery(path).replaceAll('%2F', '/');
}

/** Escapes everything but letters, digits and `-._~`, once. */
export function escapeQuery(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
