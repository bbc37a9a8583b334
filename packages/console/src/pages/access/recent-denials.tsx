import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { formatCount } from '../../format/format.ts';
import { Card } from '../../ui/page.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { resourceWord } from './acl-rule.ts';
import { denialsIn } from './denials.ts';

const searched = 100;
const shownMax = 5;

/** What clients were denied in the last hour, each with a link to the reason. Nothing without events. */
export function RecentDenials() {
  const clusterId = useClusterId();
  const state = useClusterOperation('get_events_state', {});
  const { data } = useClusterOperation(
    'search_events',
    {
      event_types: ['acl_logs'],
      filter: 'data.is_allowed == false',
      time_range: { relative: '1h' },
      limit: searched,
    },
    { everyMs: 10_000, isEnabled: state.data?.enabled === true },
  );
  const denials = denialsIn(data?.events ?? []);
  if (denials.length === 0) return null;
  return (
    <Card title="Denied in the last hour">
      <ul className="divide-y divide-line">
        {denials.slice(0, shownMax).map(({ time, times, question }) => (
          <li key={JSON.stringify(question)} className="flex items-center gap-3 px-4 py-2 text-sm">
            <span className="min-w-0 flex-1 break-words text-ink">
              {question.principal} was denied {question.operation} on {resourceWord(question.resource_type)}{' '}
              {question.resource_name}
              {times > 1 && `, ${formatCount(times)} times`}
            </span>
            <span className="text-muted">
              <Time of={time} isAgo />
            </span>
            <TextLink to="/clusters/$clusterId/acls" params={{ clusterId }} search={question}>
              Why?
            </TextLink>
          </li>
        ))}
      </ul>
    </Card>
  );
}
