import { Command } from './states.tsx';

interface SecretProps {
  readonly label: string;
  readonly text: string;
}

/** A secret that is shown this once. */
export function Secret({ label, text }: SecretProps) {
  return (
    <div className="flex flex-col gap-1">
      <p className="text-sm font-medium text-ink">{label}</p>
      <Command text={text} />
      <p className="text-xs text-muted">Copy it now: it is not shown again.</p>
    </div>
  );
}
