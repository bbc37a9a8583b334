import { Failure } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';

export function NotFound() {
  return (
    <div className="flex flex-col items-center gap-2 p-12 text-center">
      <h1 className="text-xl font-semibold">Page not found</h1>
      <p className="text-muted">
        The link may be from another release; open a page from the list on the left.
      </p>
      <TextLink to="/clusters">Clusters</TextLink>
    </div>
  );
}

/** A page that cannot be loaded or drawn: the rest of the console still works. */
export function RouteFailure({ error, reset }: { readonly error: unknown; reset(): void }) {
  return <Failure what="show the page" error={error} onRetry={reset} />;
}
