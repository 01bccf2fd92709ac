//! Calls and returns in files: as text.

/// A list of calls as a list of strings.
pub(crate) mod list {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use warpproof_model::spec::Call;

    pub(crate) fn serialize<S: Serializer>(calls: &[Call], s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(calls.iter().map(Call::to_string))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Call>, D::Error> {
        let texts = Vec::<String>::deserialize(d)?;
        texts.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
    }
}

/// Lists of calls.
pub(crate) mod lists {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use warpproof_model::spec::Call;

    pub(crate) fn serialize<S: Serializer>(programs: &[Vec<Call>], s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(programs.iter().map(|calls| calls.iter().map(Call::to_string).collect::<Vec<_>>()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Vec<Call>>, D::Error> {
        let texts = Vec::<Vec<String>>::deserialize(d)?;
        let parse = |text: &String| text.parse().map_err(D::Error::custom);
        texts.iter().map(|program| program.iter().map(parse).collect()).collect()
    }
}

/// One call.
pub(crate) mod call {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use warpproof_model::spec::Call;

    pub(crate) fn serialize<S: Serializer>(call: &Call, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(call)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Call, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

/// A return, if there was one.
pub(crate) mod ret {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use warpproof_model::spec::Ret;

    pub(crate) fn serialize<S: Serializer>(ret: &Option<Ret>, s: S) -> Result<S::Ok, S::Error> {
        ret.as_ref().map(Ret::to_string).serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Ret>, D::Error> {
        let text = Option::<String>::deserialize(d)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}
