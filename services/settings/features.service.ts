/** Offers the modules of user interfaces on the bus. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import {
	features as contract,
	type FeatureModule,
	type FeaturePreference,
} from "#shared/contracts/settings/features.ts";
import type { CursorPosition } from "#shared/store/pages/cursor.ts";
import { memoryPage } from "#shared/store/pages/memory-page.ts";
import type { FeaturePreferences } from "./features/feature-preferences.ts";
import type { FeatureToggles } from "./features/feature-toggles.ts";

export function featuresService(toggles: FeatureToggles, preferences: FeaturePreferences): ServiceSchema {
	return serviceOf(contract, {
		async list({ scope, ...page }, principal, { meta: { if_none_match: known } }) {
			const seen = await toggles.seenBy(principal);
			const wanted = scope === undefined ? seen : seen.filter((one) => one.scope === scope);
			return memoryPage(wanted, placeOfModule, { ...page, known });
		},

		toggle: ({ key, enabled }, principal) => toggles.set(principal, key, enabled),

		async preferences(page, principal, { meta: { if_none_match: known } }) {
			return memoryPage(await preferences.of(principal), placeOfPreference, { ...page, known });
		},

		set_preferences: (params, principal) => preferences.replace(principal, params.preferences),
	});
}

function placeOfModule({ order, key }: FeatureModule): CursorPosition {
	return { value: order, id: key };
}

function placeOfPreference({ sort_order, feature_key }: FeaturePreference): CursorPosition {
	return { value: sort_order, id: feature_key };
}
