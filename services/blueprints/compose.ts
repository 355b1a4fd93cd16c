/** The blueprints part: the templates, profiles, presets and prompts that sessions are made from. */
import { loadAdapter } from "#shared/config/adapter.ts";
import type { Part, StoringPlatform } from "#host/platform.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { defaultChoiceCollection, presetCollection, profileCollection } from "./owned/blueprint-collection.ts";
import { OwnedRecords } from "./owned/owned-records.ts";
import { presetKind } from "./presets/preset-rules.ts";
import { presetsService } from "./presets.service.ts";
import { profileKind } from "./profiles/profile-rules.ts";
import { profilesService } from "./profiles.service.ts";
import { promptCollection } from "./prompts/prompt-collection.ts";
import { PromptRecords } from "./prompts/prompt-records.ts";
import { promptsService } from "./prompts.service.ts";
import { type TemplateHost, type TemplateSource, templateSourceMethods } from "./template-source.ts";
import { Templates } from "./templates.ts";
import { templatesService } from "./templates.service.ts";

export const collections = [promptCollection, profileCollection, presetCollection, defaultChoiceCollection] as const;

export async function compose(platform: StoringPlatform): Promise<Part> {
	const { config, store } = platform;
	const { source, templates } = await openTemplates(platform);
	const prompts = promptsService(new PromptRecords(store));
	const profiles = profilesService(new OwnedRecords(store, profileKind));
	const presets = presetsService(new OwnedRecords(store, presetKind));
	return {
		services: [templatesService(templates, config.tenants.default), profiles, presets, prompts],
		close: async () => source.close?.(),
	};
}

/** Reads the templates once, so that the log of the start names those that cannot be used. A source that is followed has none yet. */
async function openTemplates({ config, log, metrics, readiness }: StoringPlatform) {
	const host: TemplateHost = { projectRoot, modelsFile: config.models.file, metrics, log };
	const source = await loadAdapter<TemplateSource>(config.templates, templateSourceMethods, { ...host });
	const templates = new Templates(source, log);
	await source.open?.();
	if (source.check) readiness.set("templates", async () => source.check?.());
	else await templates.all();
	return { source, templates };
}
