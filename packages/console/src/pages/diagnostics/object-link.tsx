import { Link, type LinkProps } from '@tanstack/react-router';
import { visibleText } from '../../format/visible-text.ts';
import type { NamedObject } from './evidence/message-parts.ts';

/** The page of an object; objects of other kinds have none. */
function linkTo(clusterId: string, { kind, name }: NamedObject): LinkProps | undefined {
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
  readonly clusterId: string;
  readonly of: NamedObject;
}

/** The name of an object, which leads to its page. */
export function ObjectLink({ clusterId, of: object }: ObjectLinkProps) {
  const link = linkTo(clusterId, object);
  const name = <bdi>{visibleText(object.name)}</bdi>;
  return link === undefined ? (
    name
  ) : (
    <Link {...link} className="text-accent underline">
      {name}
    </Link>
  );
}
