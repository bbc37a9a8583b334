import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/editor/code-editor.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';

type Step = OutputOf<'preview_pipeline_configuration'>['steps'][number];

interface TrialProps {
  readonly clusterId: string;
  /** The configuration as it is in the editor. */
  readonly yaml: string;
  readonly isValid: boolean;
}

/** Sample messages go through the processors of the configuration, and every step shows what it made of them. */
export function Trial({ clusterId, yaml, isValid }: TrialProps) {
  const [sample, setSample] = useState('{"id": 1}');
  const attempt = useAction('preview_pipeline_configuration');
  const messages = sample
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((content) => ({ content }));
  const isReady = isValid && messages.length > 0 && !attempt.isPending;
  const run = () => {
    if (isReady) attempt.mutate({ virtual_cluster_id: clusterId, configuration_yaml: yaml, messages });
  };
  const result = attempt.data;
  return (
    <Card title="Try it">
      <div className="flex flex-col gap-3 p-4">
        <p className="text-sm text-muted">
          Sample messages go through the processors as one batch. Nothing is stored, and nothing outside is
          reached.
        </p>
        <CodeEditor
          label="Sample messages, one per line"
          value={sample}
          onChange={setSample}
          onSubmit={run}
          className="min-h-20"
        />
        <Button disabled={!isReady} onClick={run}>
          {attempt.isPending ? 'Trying …' : 'Try'}
        </Button>
        {attempt.error !== null && <Failure what="try the configuration" error={attempt.error} />}
        {result?.problem !== undefined && <Status kind="fail">{visibleText(result.problem)}</Status>}
        {result !== undefined && result.problem === undefined && (
          <ol aria-label="Steps" aria-live="polite" className="flex flex-col gap-3">
            {result.steps.length === 0 && <li className="text-sm text-muted">There are no processors.</li>}
            {result.steps.map((step) => (
              <StepResult key={step.path} step={step} />
            ))}
          </ol>
        )}
      </div>
    </Card>
  );
}

function StepResult({ step: { path, name, label, batches } }: { readonly step: Step }) {
  const messages = batches.flat();
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <h3 className="text-sm font-medium text-ink">
        {visibleText(label === '' ? name : `${label} (${name})`)}
        <span className="ml-2 font-mono text-xs text-muted">{visibleText(path)}</span>
      </h3>
      {messages.length === 0 ? (
        <p className="text-sm text-muted">Dropped all messages.</p>
      ) : (
        batches.length > 1 && <p className="text-sm text-muted">{batches.length} batches</p>
      )}
      {messages.map(({ content, metadata, error }, at) => (
        // Messages have no identity of their own.
        // biome-ignore lint/suspicious/noArrayIndexKey: their order is what is shown.
        <div key={at} className="min-w-0 rounded border border-line p-2">
          <pre className="overflow-x-auto whitespace-pre-wrap break-words font-mono text-xs text-body">
            {visibleText(content)}
          </pre>
          {Object.entries(metadata).map(([key, value]) => (
            <p key={key} className="break-words font-mono text-xs text-muted">
              {visibleText(`@${key} = ${value}`)}
            </p>
          ))}
          {error !== undefined && <Status kind="fail">{visibleText(error)}</Status>}
        </div>
      ))}
    </li>
  );
}
