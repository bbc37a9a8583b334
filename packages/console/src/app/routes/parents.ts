import { createRootRoute, createRoute } from '@tanstack/react-router';
import { readContextOfCaller } from '../../session/context.ts';
import { Frame } from '../frame/frame.tsx';
import { ClusterPages, NotFound, RouteFailure } from '../frame/not-found.tsx';

/** The routes that all others are below, and what several of them read from the URL. */

export const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: RouteFailure });

export const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  loader: readContextOfCaller,
  component: Frame,
});

export const cluster = createRoute({
  getParentRoute: () => frame,
  path: '/clusters/$clusterId',
  component: ClusterPages,
});

/** Paths that no other route has, within the frame so that the way to other pages is there. */
export const unknownPage = createRoute({ getParentRoute: () => frame, path: '$', component: NotFound });
export const unknownPageOfCluster = createRoute({
  getParentRoute: () => cluster,
  path: '$',
  component: NotFound,
});

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

interface ListSearch {
  /** Part of the names to show. */
  readonly q?: string | undefined;
  /** The column to sort by, with `-` before it for the largest first. */
  readonly sort?: string | undefined;
}

export const listSearch = (search: Record<string, unknown>): ListSearch => ({
  q: text(search.q),
  sort: text(search.sort),
});

/** A list of configs: `all` shows those without effect too. */
export const configSearch = (
  search: Record<string, unknown>,
): ListSearch & { readonly show?: 'all' | undefined } => ({
  ...listSearch(search),
  show: search.show === 'all' ? 'all' : undefined,
});
