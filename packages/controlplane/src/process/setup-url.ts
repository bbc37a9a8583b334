import { routePath } from '../http/route-table.ts';

/** Returns the link of a first start. The token is in the fragment, so that no proxy and no log on the way sees it. */
export function setupUrl(publicUrl: string, token: string): string {
  return `${publicUrl}${routePath('setup')}#${token}`;
}
