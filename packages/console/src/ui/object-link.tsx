import { Link, type LinkProps } from '@tanstack/react-router';
import { useClusterId } from '../api/use-cluster.ts';
import { visibleText } from '../format/visible-text.ts';

interface NamedObject {
  readonly kind: string;
  readonly name: string;
}

/** The page of an object; objects of other kinds have none. */
export function pageOfObject(clusterId: string, { kind, name }: NamedObject): LinkProps | undefined {
  const params = { clusterId };
  switch (kind) {
    case 'topic':
      return { to: '/clusters/$clusterId/topics/$topic', params: { clusterId, topic: name } };
    case 'group':
      return { to: '/clusters/$clusterId/consumer-groups/$group', params: { clusterId, group: name } };
    case 'subject':
      return { to: '/clusters/$clusterId/subjects/$subject', params: { clusterId, subject: name } };
    case 'agent':
      return { to: '/clusters/$clusterId/agents/$agentId', params: { clusterId, agentId: name } };
    case 'table':
      return { to: '/clusters/$clusterId/tables/$table', params: { clusterId, table: name } };
    case 'pipeline':
      return { to: '/clusters/$clusterId/pipelines', params, search: { q: name } };
    case 'credential':
      return { to: '/clusters/$clusterId/credentials', params, search: { q: name } };
    case 'client':
      return {
        to: '/clusters/$clusterId/events',
        params,
        search: { filter: `data.client_id == ${JSON.stringify(name)}`, relative: '24h' },
      };
    case 'acl':
      return { to: '/clusters/$clusterId/acls', params };
    default:
      return undefined;
  }
}

interface ObjectLinkProps {
  readonly of: NamedObject;
  /** What the pointer shows, if not the name. */
  readonly title?: string;
  readonly className?: string;
  readonly search?: Readonly<Record<string, unknown>>;
}

/** The name of an object, which leads to its page. */
export function ObjectLink({ of: object, search, ...props }: ObjectLinkProps) {
  const clusterId = useClusterId();
  const page = pageOfObject(clusterId, object);
  const shown = visibleText(object.name);
  if (page === undefined) return <bdi>{shown}</bdi>;
  const link = (search === undefined ? page : { ...page, search }) as LinkProps;
  return (
    <Link title={shown} className="font-medium text-ink hover:underline" {...link} {...props}>
      <bdi>{shown}</bdi>
    </Link>
  );
}
