import { HttpProblem } from './http-problem.ts';

/** A path as decoded segments, and its query. */
export interface Target {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/**
 * Splits the target of a request before it decodes, so that a subject may contain an encoded slash. A trailing slash
 * equals none. Paths are not normalised: a subject may be `..`.
 */
export function targetOf(url: string): Target {
  const queryAt = url.indexOf('?');
  const path = pathIn(queryAt < 0 ? url : url.slice(0, queryAt));
  const query = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt));
  const segments = path.split('/').slice(1);
  while (segments.at(-1) === '') segments.pop();
  try {
    return { segments: segments.map(decodeURIComponent), query };
  } catch {
    throw new HttpProblem(400, 'The path is not valid percent-encoded UTF-8.');
  }
}

/** A request to a proxy names the host before the path. */
function pathIn(target: string): string {
  if (target.startsWith('/')) return target;
  const path = /^https?:\/\/[^/]*(\/.*)?$/i.exec(target);
  if (path === null) throw new HttpProblem(400, 'The target of the request is not a path.');
  return path[1] ?? '/';
}
