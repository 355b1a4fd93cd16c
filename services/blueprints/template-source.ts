/** Port: a source of templates. The platform never writes templates. */
import type { Template } from "#shared/contracts/templates.ts";

/** A template, or a file or object with templates, that cannot be used. It does not affect the others. */
export interface TemplateFault {
	/** The file or object, e.g. `node.yaml`. */
	readonly origin: string;
	/** A sentence that names the origin, the place and the mistake in it, and contains no value. */
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
}

export const templateSourceMethods = ["list"] as const;
