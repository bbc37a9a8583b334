import { apiKeyHeader, apiPath } from '@weir/api/paths';
import { Command } from '../../ui/states.tsx';

/** Commands that work as they are, with the secret in them. */
export function WaysToUseKey({ secret }: { readonly secret: string }) {
  const { origin } = location;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm font-medium text-ink">Try it</p>
      <Command text={`curl -s ${origin}${apiPath}/get_context -H '${apiKeyHeader}: ${secret}'`} />
      <Command text={`weir cli events search -last 1h -api-url ${origin} -api-key ${secret}`} />
    </div>
  );
}
