/** Port: where templates come from. They are read-only for the platform. */
import type { Template } from "#shared/contracts/templates.ts";

export interface TemplateSource {
	/** All templates, in any order. @throws {Error} with a sentence that names the file or object and what is wrong with it. */
	list(): Promise<Template[]>;
}

export const templateSourceMethods = ["list"] as const;
