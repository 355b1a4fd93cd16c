/** Port: a source of templates. The platform never writes templates. */
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { Template } from "#shared/contracts/templates.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";

/** A template, or a file or object with templates, that cannot be used. It does not affect the others. */
export interface TemplateFault {
	/** The file or object, e.g. `node.yaml`. */
	readonly origin: string;
	/** A sentence that names the origin, the place and the mistake in it, and contains no value that may be a secret. */
	readonly sentence: string;
	/** The name of the template, if it can be read. */
	readonly name?: string | undefined;
}

/** The templates of a source, and the mistakes for which others are left out. */
export interface TemplateList {
	/** The templates in any order; no two have the same name. */
	readonly templates: readonly Template[];
	readonly faults: readonly TemplateFault[];
}

/** The port; the configuration key `templates` names the adapter. */
export interface TemplateSource {
	/** Returns the templates as they are now. @throws {Error} when the source as a whole cannot be read. */
	list(): Promise<TemplateList>;
	/** Begins to follow the source. It does not wait for a server. Absent: there is nothing to follow. */
	open?(): Promise<void>;
	/** Resolves when the source has been read once; `/ready` says why it rejects. Absent: it can always be read. */
	check?(): Promise<void>;
	/** Ends what follows the source. */
	close?(): Promise<void>;
}

/** The things that the platform gives to a source beside its arguments in the configuration. */
export interface TemplateHost {
	/** Relative paths begin here. */
	readonly projectRoot: string;
	/** The catalogue of models, of which templates may name one. */
	readonly modelsFile: string;
	readonly metrics: Metrics;
	readonly log: ServiceLog;
}

export const templateSourceMethods = ["list"] as const;
