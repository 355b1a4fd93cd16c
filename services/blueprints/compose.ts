/** The blueprints part: the templates that sessions are made from. */
import { loadAdapter } from "#shared/config/adapter.ts";
import type { Part, Platform } from "#shared/platform.ts";
import { projectRoot } from "#shared/project-root.ts";
import { type TemplateSource, templateSourceMethods } from "./template-source.ts";
import { templatesService } from "./templates.service.ts";

/** Reads the templates once, so that an unreadable template ends the start instead of failing a session later. */
export async function compose({ config }: Platform): Promise<Part> {
	const source = await loadAdapter<TemplateSource>(config.templates, templateSourceMethods, { projectRoot });
	await source.list();
	return { services: [templatesService(source)] };
}
