/** The blueprints part: what sessions are made from. */
import { loadAdapter } from "#shared/config/adapter.ts";
import type { Part, Platform } from "#shared/platform.ts";
import { projectRoot } from "#shared/project-root.ts";
import { type TemplateSource, templateSourceMethods } from "./template-source.ts";
import { templatesService } from "./templates.service.ts";

/** A template that cannot be read ends the start: nobody should find out from a session. */
export async function compose({ config }: Platform): Promise<Part> {
	const source = await loadAdapter<TemplateSource>(config.templates, templateSourceMethods, { projectRoot });
	await source.list();
	return { services: [templatesService(source)] };
}
