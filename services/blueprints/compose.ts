/** The blueprints part: the templates and prompts that sessions are made from. */
import { loadAdapter } from "#shared/config/adapter.ts";
import type { Part, StoringPlatform } from "#shared/platform.ts";
import { projectRoot } from "#shared/project-root.ts";
import { promptCollection } from "./prompts/prompt-collection.ts";
import { PromptLists } from "./prompts/prompt-lists.ts";
import { PromptRecords } from "./prompts/prompt-records.ts";
import { promptsService } from "./prompts.service.ts";
import { type TemplateSource, templateSourceMethods } from "./template-source.ts";
import { templatesService } from "./templates.service.ts";

export const collections = [promptCollection] as const;

/** Reads the templates once, so that an unreadable template ends the start instead of failing a session later. */
export async function compose({ config, store }: StoringPlatform): Promise<Part> {
	const source = await loadAdapter<TemplateSource>(config.templates, templateSourceMethods, { projectRoot });
	await source.list();
	const prompts = promptsService(new PromptRecords(store), new PromptLists(store));
	return { services: [templatesService(source), prompts] };
}
