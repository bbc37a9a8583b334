import { BellIcon } from '@primer/octicons-react';
import { useParams } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { formatTime } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { useButtonAction, useFormAction } from '../../ui/actions.ts';
import { Button } from '../../ui/button.tsx';
import { isMissing, Missing } from '../../ui/missing.tsx';
import { MuteDialog } from '../../ui/mute-dialog.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { AlertDialog } from '../alerts/alert-dialog.tsx';
import { messageParts, objectsOf } from './evidence/message-parts.ts';
import { stepsOf } from './evidence/steps-of.ts';
import { EvidenceCharts } from './evidence-charts.tsx';
import { History } from './history.tsx';
import { Severity } from './severity.tsx';
import { Steps } from './steps.tsx';

export function Diagnostic() {
  const { clusterId, diagnosticId } = useParams({
    from: '/frame/clusters/$clusterId/diagnostics/$diagnosticId',
  });
  const input = { virtual_cluster_id: clusterId, diagnostic_id: diagnosticId };
  const described = useOperation('get_diagnostic', input, { everyMs: 5_000 });
  const { data, isError, error, refetch } = described;
  const [isMuting, setMuting] = useState(false);
  const [isNotifying, setNotifying] = useState(false);
  const mute = useFormAction('mute_diagnostic', () => setMuting(false));
  const unmute = useButtonAction('unmute_diagnostic');
  const found = data?.diagnostic;
  if (isMissing(described))
    return (
      <Missing
        title="Diagnostic not found"
        name={diagnosticId}
        links={[
          { label: 'Diagnostics', link: { to: '/clusters/$clusterId/diagnostics', params: { clusterId } } },
        ]}
      >
        No diagnostic has this id. The link may be from another release.
      </Missing>
    );
  if (found === undefined)
    return isError ? (
      <Failure what={`describe ${diagnosticId}`} error={error} onRetry={() => refetch()} />
    ) : (
      <Skeleton />
    );
  const endMuting = () => unmute.run(input, 'Unmuted');
  return (
    <Page
      title={found.title}
      tabTitle={found.name}
      facts={<Severity diagnostic={found} />}
      actions={
        <>
          <ChangeButton icon={BellIcon} onClick={() => setNotifying(true)}>
            Notify me…
          </ChangeButton>
          <Button onClick={() => (found.muted ? endMuting() : setMuting(true))}>
            {found.muted ? 'Unmute' : 'Mute'}
          </Button>
        </>
      }
    >
      <MuteDialog
        what="diagnostic"
        description="The diagnostic still runs but no longer counts as a problem."
        action={mute}
        isOpen={isMuting}
        onMute={(given) => mute.run({ ...input, ...given }, 'Muted')}
        onClose={() => setMuting(false)}
      />
      {isNotifying && (
        <AlertDialog
          begin={{ diagnostic: { id: found.diagnostic_id, title: found.title } }}
          onClose={() => setNotifying(false)}
        />
      )}
      {found.muted && (
        <p className="text-muted">
          Muted{found.muted_until === null ? '' : ` until ${formatTime(found.muted_until, 'local')}`}
          {found.muted_by === null ? '' : ` by ${visibleText(found.muted_by)}`}
          {found.mute_reason === null ? '.' : visibleText(`: ${found.mute_reason}`)}
        </p>
      )}
      {found.groups.length > 0 && (
        <Card title="Findings">
          <ul className="divide-y divide-line">
            {found.groups.map(({ key, message, since }) => (
              <li key={key} className="flex flex-wrap gap-x-4 px-4 py-2">
                <span className="min-w-0 flex-1 basis-64 break-words text-ink">
                  <Message finding={{ key, message }} />
                </span>
                <time dateTime={since} title={since} className="text-muted">
                  since {formatTime(since, 'local')}
                </time>
              </li>
            ))}
            {found.groups_left_out > 0 && (
              <li className="px-4 py-2 text-muted">and {found.groups_left_out} more</li>
            )}
          </ul>
        </Card>
      )}
      {!found.successful && <EvidenceCharts of={found} />}
      <Card title="Why it matters">
        <p className="max-w-prose p-4 text-body">{found.explanation}</p>
      </Card>
      <Card title="What to do">
        <p className="max-w-prose p-4 text-body">{found.fix}</p>
        {!found.successful && <Steps steps={stepsOf(found)} />}
      </Card>
      <History of={input} />
    </Page>
  );
}

interface MessageProps {
  readonly finding: { readonly key: string; readonly message: string };
}

/** What was found, with a link to each object that it names. */
function Message({ finding }: MessageProps) {
  const { message } = finding;
  let at = 0;
  return messageParts(message, objectsOf(finding)).map((part) => {
    const key = `${at}`;
    at += typeof part === 'string' ? part.length : part.name.length;
    return typeof part === 'string' ? (
      <Fragment key={key}>{visibleText(part)}</Fragment>
    ) : (
      <ObjectLink key={key} of={part} className="text-accent underline" />
    );
  });
}
