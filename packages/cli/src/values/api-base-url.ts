import { apiPath } from '@weir/api/paths';

/** The base URL of a control plane from that of its API, which may include the common path of all calls. */
export function apiBaseUrl(apiUrl: string): string {
  return apiUrl.replace(/\/+$/, '').replace(new RegExp(`${apiPath}$`), '');
}
