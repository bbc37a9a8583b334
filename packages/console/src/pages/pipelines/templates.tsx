import { pipelineTemplates } from '@weir/api/pipeline-templates';
import { Card } from '../../ui/page.tsx';

interface TemplatesProps {
  readonly onChoose: (yaml: string) => void;
}

/** Configurations to begin with, for an editor that is empty. */
export function Templates({ onChoose }: TemplatesProps) {
  return (
    <Card title="Templates">
      <ul aria-label="Templates" className="flex flex-col gap-3 p-4">
        {pipelineTemplates.map(({ name, about, yaml }) => (
          <li key={name} className="flex flex-col gap-1">
            <button
              type="button"
              onClick={() => onChoose(yaml)}
              className="min-h-6 self-start text-left text-sm font-medium text-accent underline"
            >
              {name}
            </button>
            <p className="text-sm text-muted">{about}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
