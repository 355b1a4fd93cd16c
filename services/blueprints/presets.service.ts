/** Offers presets on the bus. */
import type { ServiceSchema } from "moleculer";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { serviceOf } from "#shared/bus/service.ts";
import { type Preset, presets } from "#shared/contracts/blueprints/presets.ts";
import type { OwnedRecords } from "./owned/owned-records.ts";
import { changedPreset, newPreset } from "./presets/preset-rules.ts";

export function presetsService(records: OwnedRecords<Preset>): ServiceSchema {
	return serviceOf(presets, {
		list: ({ cli_tool: group, is_default: isDefault, ...page }, principal, { meta }) =>
			records.list(principal, { ...page, group, isDefault, known: meta.if_none_match }),

		create: async (request, principal, { meta: { idempotency_key: key } }) => {
			const make = (id: string, at: string): Preset => newPreset(request, id, at);
			return jsonText(await records.create(principal, { request, make, key }));
		},

		get: async ({ preset_id }, principal) => jsonText(await records.text(principal, preset_id)),

		update: async ({ preset_id, ...update }, principal) =>
			jsonText(await records.change(principal, preset_id, (preset, at) => changedPreset(preset, update, at))),

		delete: ({ preset_id }, principal) => records.delete(principal, preset_id),

		async of_launch({ tenant, owner, preset_id }) {
			const preset = await records.launched({ tenant, id: owner }, preset_id, "");
			return preset ? { preset } : {};
		},
	});
}
