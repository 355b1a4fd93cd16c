/** Port: a source of templates. The platform never writes templates. */
import type { Template } from "#shared/contracts/templates.ts";

/** The port; the configuration key `templates` names the adapter. */
export interface TemplateSource {
	/**
	 * Returns all templates, in any order. @throws {Error} with a sentence that names the file or object and the
	 * mistake in it.
	 */
	list(): Promise<Template[]>;
}

export const templateSourceMethods = ["list"] as const;
