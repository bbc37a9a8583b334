import { printLiteral } from '@weir/events';
import type { ReactNode } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { counted, formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { nameOf, type Software } from './client-words.ts';

interface ClientSheetProps {
  readonly software: Software;
  readonly zoneById: ReadonlyMap<string, string>;
  readonly onClose: () => void;
}

/** All that agents report of clients of one software and version, with links to what they did. */
export function ClientSheet({ software, zoneById, onClose }: ClientSheetProps) {
  const clusterId = useClusterId();
  const { software_version: version, connections, principals, client_ids, agents, agent_count } = software;
  const eventsOf = (field: string, value: string) => (
    <TextLink
      to="/clusters/$clusterId/events"
      params={{ clusterId }}
      search={{ types: 'acl_logs', filter: `${field} == ${printLiteral(value)}` }}
      aria-label={`Events of ${visibleText(value)}`}
      className="shrink-0"
    >
      Events
    </TextLink>
  );
  return (
    <Dialog
      isOpen
      isSheet
      onClose={onClose}
      title={visibleText(`${nameOf(software)} ${version}`.trim())}
      description={counted(connections, 'connection')}
    >
      <div className="flex flex-col gap-4 text-sm">
        <Names title="Client ids" nothing="No connection has a client id.">
          {client_ids.map((id) => (
            <Name key={id} text={id} link={eventsOf('data.client_id', id)} />
          ))}
        </Names>
        <Names title="Principals" nothing="None reported.">
          {principals.map((principal) => (
            <Name key={principal} text={principal} link={eventsOf('data.principal', principal)} />
          ))}
        </Names>
        {software.has_more_names && (
          <p className="text-muted">More exist: agents report those with the most connections.</p>
        )}
        <Names title={`Agents (${formatCount(agent_count)})`} nothing="None reported.">
          {agents.map((agent) => (
            <li key={agent.agent_id} className="flex items-baseline gap-3 py-1">
              <span className="min-w-0 flex-1 truncate">
                <AgentLink agentId={agent.agent_id} />
              </span>
              <span className="text-muted">{zoneById.get(agent.agent_id) || 'zone unknown'}</span>
              <span className="tabular-nums">{formatCount(agent.connections)} connections</span>
            </li>
          ))}
        </Names>
        <p className="text-xs text-muted">
          Clients choose these names. With events enabled, ACL events show the operation, the host and the
          decision of each request. Agents do not report the hosts and zones of clients.
        </p>
      </div>
    </Dialog>
  );
}

interface NamesProps {
  readonly title: string;
  readonly nothing: string;
  readonly children: readonly ReactNode[];
}

function Names({ title, nothing, children }: NamesProps) {
  return (
    <section>
      <h3 className="font-semibold text-ink">{title}</h3>
      {children.length === 0 ? (
        <p className="text-muted">{nothing}</p>
      ) : (
        <ul className="divide-y divide-line">{children}</ul>
      )}
    </section>
  );
}

function Name({ text, link }: { readonly text: string; readonly link: ReactNode }) {
  return (
    <li className="flex items-baseline gap-3 py-1">
      <bdi className="min-w-0 flex-1 font-mono text-xs break-all text-ink">{visibleText(text)}</bdi>
      {link}
    </li>
  );
}
