import { apiPath } from '@weir/api/paths';

/** The address of a control plane by that of its API, with or without the path that all calls have. */
export function apiBaseUrl(apiUrl: string): string {
  return apiUrl.replace(/\/+$/, '').replace(new RegExp(`${apiPath}$`), '');
}
