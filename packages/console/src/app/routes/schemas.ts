import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { cluster, listSearch, text } from './parents.ts';

const version = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;

const subjects = createRoute({
  getParentRoute: () => cluster,
  path: '/subjects',
  validateSearch: (
    search: Record<string, unknown>,
  ): ReturnType<typeof listSearch> & { deleted?: true | undefined } => ({
    ...listSearch(search),
    deleted: search.deleted === true ? true : undefined,
  }),
  component: lazyRouteComponent(() => import('../../pages/schemas/subjects.tsx'), 'Subjects'),
});

const newSubject = createRoute({
  getParentRoute: () => cluster,
  path: '/new-subject',
  validateSearch: (search: Record<string, unknown>): { subject?: string | undefined } => ({
    subject: text(search.subject),
  }),
  component: lazyRouteComponent(() => import('../../pages/schemas/new-subject.tsx'), 'NewSubject'),
});

const registryConfig = createRoute({
  getParentRoute: () => cluster,
  path: '/registry-config',
  component: lazyRouteComponent(() => import('../../pages/schemas/rules.tsx'), 'RegistryRules'),
});

const subject = createRoute({
  getParentRoute: () => cluster,
  path: '/subjects/$subject',
  component: lazyRouteComponent(() => import('../../pages/schemas/subject-frame.tsx'), 'SubjectFrame'),
});

const subjectSchema = createRoute({
  getParentRoute: () => subject,
  path: '/',
  validateSearch: (search: Record<string, unknown>): { version?: number | undefined } => ({
    version: version(search.version),
  }),
  component: lazyRouteComponent(() => import('../../pages/schemas/subject.tsx'), 'SubjectSchema'),
});

const subjectCompare = createRoute({
  getParentRoute: () => subject,
  path: '/compare',
  validateSearch: (
    search: Record<string, unknown>,
  ): { from?: number | undefined; to?: number | undefined } => ({
    from: version(search.from),
    to: version(search.to),
  }),
  component: lazyRouteComponent(() => import('../../pages/schemas/compare.tsx'), 'SubjectCompare'),
});

const subjectEdit = createRoute({
  getParentRoute: () => subject,
  path: '/edit',
  component: lazyRouteComponent(() => import('../../pages/schemas/new-version.tsx'), 'NewVersion'),
});

const subjectConfig = createRoute({
  getParentRoute: () => subject,
  path: '/config',
  component: lazyRouteComponent(() => import('../../pages/schemas/rules.tsx'), 'SubjectRules'),
});

export const schemaRoutes = [
  subjects,
  newSubject,
  registryConfig,
  subject.addChildren([subjectSchema, subjectCompare, subjectEdit, subjectConfig]),
] as const;
